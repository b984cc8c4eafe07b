"""Callback handler for LangChain and LangGraph that logs model calls or runs.

It works without LangChain's classes. If LangChain is installed, it extends BaseCallbackHandler,
because models check the type of the handlers passed to their constructor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from sluice._context import Fields, current_fields
from sluice._ergonomics import Logs
from sluice._langchain_messages import answer_fields, plain
from sluice._langchain_runs import Run, Runs
from sluice._observation import Observation, Options, guarded

if TYPE_CHECKING:
    _Base = object
else:
    try:
        from langchain_core.callbacks import BaseCallbackHandler as _Base
    except ImportError:
        _Base = object

__all__ = ["SluiceCallbackHandler"]


class SluiceCallbackHandler(_Base):
    """Logs each model call or, with `record="runs"`, each outermost run with all of its tokens."""

    raise_error = False
    run_inline = True  # log never blocks, and separate threads would lose the order of events
    ignore_llm = False
    ignore_chat_model = False
    ignore_retriever = True
    ignore_retry = True
    ignore_custom_event = True

    def __init__(self, client: Logs, *, record: Literal["models", "runs"] = "models") -> None:
        self._log = client.log
        self._is_whole = record == "runs"
        self._runs = Runs()

    @property
    def ignore_chain(self) -> bool:
        """True for record="models", which does not need chains."""
        return not self._is_whole

    @property
    def ignore_agent(self) -> bool:
        """True for record="models". Runs need tools to find the root run of a model call."""
        return not self._is_whole

    def on_llm_start(self, serialized: Any, prompts: Any, **about: Any) -> None:
        """Called when a text completion starts."""
        self._begin(lambda: prompts[0] if len(prompts) == 1 else prompts, about, is_model=True)

    def on_chat_model_start(self, serialized: Any, messages: Any, **about: Any) -> None:
        """Called when a chat model call starts."""
        read = lambda: plain(messages[0] if len(messages) == 1 else messages)  # noqa: E731
        self._begin(read, about, is_model=True)

    def on_chain_start(self, serialized: Any, inputs: Any, **about: Any) -> None:
        """Called when a chain, a graph or a node of a graph starts."""
        self._begin(lambda: plain(inputs), about)

    def on_tool_start(self, serialized: Any, input_str: Any, **about: Any) -> None:
        """Called when a tool call starts."""
        self._begin(lambda: about.get("inputs") or input_str, about)

    def on_llm_end(self, response: Any, *, run_id: Any, **about: Any) -> None:
        """Called when a model call ends."""

        def end() -> None:
            run, fields = self._runs.take(run_id), answer_fields(response)
            if run is not None and run.root is not run:
                run.root.add_tokens(fields)
            if run is not None and run.observation is not None:
                run.observation.finish(fields)

        guarded(end)

    def on_chain_end(self, outputs: Any, *, run_id: Any, **about: Any) -> None:
        """Called when a chain ends."""

        def end() -> None:
            run = self._runs.take(run_id)
            if run is not None and run.observation is not None:
                run.observation.finish({"output": plain(outputs), **run.tokens})

        guarded(end)

    def on_tool_end(self, output: Any, *, run_id: Any, **about: Any) -> None:
        """Called when a tool call ends."""
        self.on_chain_end(output, run_id=run_id)

    def on_llm_error(self, error: BaseException, *, run_id: Any, **about: Any) -> None:
        """Called when a run ends with an error."""

        def end() -> None:
            run = self._runs.take(run_id)
            if run is not None and run.observation is not None:
                run.observation.fail(error, dict(run.tokens))

        guarded(end)

    on_chain_error = on_llm_error
    on_tool_error = on_llm_error

    def on_llm_new_token(self, token: Any, **about: Any) -> None:
        """Ignored, because `on_llm_end` receives the whole response."""

    def on_agent_action(self, action: Any, **about: Any) -> None:
        """Ignored, because the tool call has its own events."""

    def on_agent_finish(self, finish: Any, **about: Any) -> None:
        """Ignored, because the chain has its own events."""

    def on_text(self, text: Any, **about: Any) -> None:
        """Ignored, because the run has its own events."""

    def _begin(self, read_input: Callable[[], Any], about: Fields, is_model: bool = False) -> None:
        def begin() -> None:
            parent = self._runs.find(about.get("parent_run_id"))
            root = parent.root if parent is not None else None
            is_logged = root is None if self._is_whole else is_model
            options = Options(_fields_of(about, is_model))
            observation = Observation(self._log, options, read_input) if is_logged else None
            self._runs.add(about.get("run_id"), Run(observation, root if self._is_whole else None))

        guarded(begin)


def _fields_of(about: Mapping[str, Any], is_model: bool) -> Fields:
    """Returns the fields of a run. The LangGraph thread is the session if no other is set."""
    given = about.get("metadata") or {}
    metadata = {"name": about.get("name"), "tags": about.get("tags") or None}
    if is_model:
        metadata.update(model=given.get("ls_model_name"), provider=given.get("ls_provider"))
    known = {name: value for name, value in metadata.items() if value is not None}
    thread = None if "session_id" in current_fields() else given.get("thread_id")
    return {"session_id": given.get("session_id") or thread, "metadata": known}
