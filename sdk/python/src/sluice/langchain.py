"""A callback handler for LangChain and LangGraph: given as one of `callbacks`, it logs runs.

It has the shape that LangChain asks of a handler, and works without being one of its classes; where
LangChain is installed it is one, since models check that of handlers given to their constructor.
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
    """Logs each call of a model; with `record="runs"`, each outermost run and all its tokens."""

    raise_error = False
    run_inline = True  # log never waits, and a thread per event would lose their order
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
        """Chains matter only for whole runs."""
        return not self._is_whole

    @property
    def ignore_agent(self) -> bool:
        """Tools matter only as what connects a model to its run."""
        return not self._is_whole

    def on_llm_start(self, serialized: Any, prompts: Any, **about: Any) -> None:
        """A model that completes text; there is one prompt for each run."""
        self._begin(lambda: prompts[0] if len(prompts) == 1 else prompts, about, is_model=True)

    def on_chat_model_start(self, serialized: Any, messages: Any, **about: Any) -> None:
        """A model that answers messages."""
        read = lambda: plain(messages[0] if len(messages) == 1 else messages)  # noqa: E731
        self._begin(read, about, is_model=True)

    def on_chain_start(self, serialized: Any, inputs: Any, **about: Any) -> None:
        """A chain, a graph or a node of one."""
        self._begin(lambda: plain(inputs), about)

    def on_tool_start(self, serialized: Any, input_str: Any, **about: Any) -> None:
        """A tool."""
        self._begin(lambda: about.get("inputs") or input_str, about)

    def on_llm_end(self, response: Any, *, run_id: Any, **about: Any) -> None:
        """What a model answered."""

        def end() -> None:
            run, fields = self._runs.take(run_id), answer_fields(response)
            if run is not None and run.root is not run:
                run.root.add_tokens(fields)
            if run is not None and run.observation is not None:
                run.observation.finish(fields)

        guarded(end)

    def on_chain_end(self, outputs: Any, *, run_id: Any, **about: Any) -> None:
        """What a chain returned."""

        def end() -> None:
            run = self._runs.take(run_id)
            if run is not None and run.observation is not None:
                run.observation.finish({"output": plain(outputs), **run.tokens})

        guarded(end)

    def on_tool_end(self, output: Any, *, run_id: Any, **about: Any) -> None:
        """What a tool returned."""
        self.on_chain_end(output, run_id=run_id)

    def on_llm_error(self, error: BaseException, *, run_id: Any, **about: Any) -> None:
        """What any of them raised."""

        def end() -> None:
            run = self._runs.take(run_id)
            if run is not None and run.observation is not None:
                run.observation.fail(error, dict(run.tokens))

        guarded(end)

    on_chain_error = on_llm_error
    on_tool_error = on_llm_error

    def on_llm_new_token(self, token: Any, **about: Any) -> None:
        """The whole answer comes at the end."""

    def on_agent_action(self, action: Any, **about: Any) -> None:
        """Its tool tells of itself."""

    def on_agent_finish(self, finish: Any, **about: Any) -> None:
        """Its chain tells of itself."""

    def on_text(self, text: Any, **about: Any) -> None:
        """Nothing that its run does not tell."""

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
    """What LangChain says of a run; a thread of LangGraph is a session where it tells of it."""
    told = about.get("metadata") or {}
    metadata = {"name": about.get("name"), "tags": about.get("tags") or None}
    if is_model:
        metadata.update(model=told.get("ls_model_name"), provider=told.get("ls_provider"))
    known = {name: value for name, value in metadata.items() if value is not None}
    thread = None if "session_id" in current_fields() else told.get("thread_id")
    return {"session_id": told.get("session_id") or thread, "metadata": known}
