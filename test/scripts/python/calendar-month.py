import calendar
print(calendar.TextCalendar(0).formatmonth(2026, 2), calendar.monthrange(2028, 2))
