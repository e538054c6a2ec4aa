import asyncio
async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(0.01))
    raise LookupError("nothing there")
asyncio.run(main())
