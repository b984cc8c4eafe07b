"""Wraps a stream of a vendor's library and records its items."""

from __future__ import annotations

from typing import Any

from sluice._model_answer import Answer
from sluice._observation import Observation, guarded


class ObservedStream:
    """Stands in for a sync or async stream. Everything except iteration is delegated to it."""

    def __init__(self, stream: Any, answer: Answer, observation: Observation) -> None:
        self._stream = stream
        self._answer = answer
        self._observation = observation
        self._iterator: Any = None

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Makes isinstance() work as for the stream itself."""
        return type(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> ObservedStream:
        return self

    def __next__(self) -> Any:
        try:
            if self._iterator is None:
                self._iterator = iter(self._stream)
            item = next(self._iterator)
        except StopIteration:
            self._end()
            raise
        except BaseException as error:
            self._fail(error)
            raise
        return self._note(item)

    def __aiter__(self) -> ObservedStream:
        return self

    async def __anext__(self) -> Any:
        try:
            if self._iterator is None:
                self._iterator = self._stream.__aiter__()
            item = await self._iterator.__anext__()
        except StopAsyncIteration:
            self._end()
            raise
        except BaseException as error:
            self._fail(error)
            raise
        return self._note(item)

    def __enter__(self) -> ObservedStream:
        self._stream.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        self._leave(error[1])
        return self._stream.__exit__(*error)

    async def __aenter__(self) -> ObservedStream:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        self._leave(error[1])
        return await self._stream.__aexit__(*error)

    def close(self) -> Any:
        """Ends the decision with the items read so far. Awaitable for an async stream."""
        self._end()
        return self._stream.close()

    def __del__(self) -> None:
        guarded(self._end)

    def _note(self, item: Any) -> Any:
        guarded(lambda: self._answer.add(item))
        return item

    def _leave(self, error: BaseException | None) -> None:
        if error is None:
            self._end()
        else:
            self._fail(error)

    def _end(self) -> None:
        guarded(lambda: self._observation.finish(self._answer.fields()))

    def _fail(self, error: BaseException) -> None:
        guarded(lambda: self._observation.fail(error, self._answer.fields()))
