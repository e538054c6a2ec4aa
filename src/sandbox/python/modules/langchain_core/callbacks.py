"""Names that tools write into their signatures. Nothing calls back here."""


class CallbackManagerForToolRun:
    pass


class AsyncCallbackManagerForToolRun:
    pass
