"""Names that tools use in their signatures. No callbacks are called."""


class CallbackManagerForToolRun:
    pass


class AsyncCallbackManagerForToolRun:
    pass
