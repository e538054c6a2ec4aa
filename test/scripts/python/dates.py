from datetime import date, datetime, timedelta, timezone
start = date(2024, 2, 27)
for n in range(4):
    day = start + timedelta(days=n)
    print(day.isoformat(), day.strftime("%A %j %U"), day.isocalendar()[1])
print(datetime(2024, 1, 1, tzinfo=timezone.utc).timestamp(), datetime.fromisoformat("2024-05-06T07:08:09+02:00").astimezone(timezone.utc))
