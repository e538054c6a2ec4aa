"""The event loop of a run. As in a process, tasks that a script did not await end with it."""

import asyncio
import time
import weakref
from asyncio import coroutines

from pyodide.ffi import can_run_sync, run_sync
from pyodide.webloop import WebLoop

#: Scheduled callbacks. The loop itself references those that are still pending.
_handles = weakref.WeakSet()
_call_later = WebLoop.call_later


def call_later(self, delay, callback, *args, context=None):
    handle = _call_later(self, delay, callback, *args, context=context)
    _handles.add(handle)
    return handle


def run_until_complete(self, future):
    self._install_asyncgen_hooks()
    return run_sync(future)


def run(main, *, debug=None, loop_factory=None):
    if not coroutines.iscoroutine(main) and not hasattr(main, "__await__"):
        raise ValueError(f"a coroutine was expected, got {main!r}")
    loop = asyncio.get_event_loop()
    before = asyncio.all_tasks(loop)
    try:
        return loop.run_until_complete(main)
    finally:
        _cancel(loop, asyncio.all_tasks(loop) - before)


def end_tasks():
    """Abandons a task that ignores its cancellation: its callbacks are no longer called."""
    loop = asyncio.get_event_loop()
    if isinstance(loop, WebLoop):
        _cancel(loop, asyncio.all_tasks(loop))
    for handle in list(_handles):
        handle.cancel()
    _handles.clear()


def _cancel(loop, tasks):
    current = asyncio.current_task(loop)
    tasks = [task for task in tasks if task is not current]
    for task in tasks:
        task.cancel()
    if tasks and can_run_sync():
        run_sync(asyncio.wait(tasks, timeout=0.2))


def sleep(seconds):
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    if can_run_sync():
        run_sync(asyncio.sleep(seconds))


WebLoop.call_later = call_later
WebLoop.run_until_complete = run_until_complete
asyncio.run = run
time.sleep = sleep
