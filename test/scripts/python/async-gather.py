import asyncio
async def job(n):
    await asyncio.sleep(0.01 * (3 - n)); return n * n
async def main():
    print(await asyncio.gather(*(job(n) for n in range(3))))
    try: await asyncio.wait_for(asyncio.sleep(1), 0.02)
    except asyncio.TimeoutError: print("late")
    queue = asyncio.Queue()
    async def feed():
        for n in range(3): await queue.put(n)
    feeding = asyncio.create_task(feed())
    print([await queue.get() for _ in range(3)]); await feeding
asyncio.run(main())
