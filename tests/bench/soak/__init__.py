"""`make soak`: what a service holds on to while traffic of every kind goes through it for half an hour.

gauges.py    what is measured, and when it counts as flat
traffic.py   the customers: good, careless and hostile ones
laws.py      what the books must say when all is over
__main__.py  runs it, prints the table, and fails where something grew
"""
