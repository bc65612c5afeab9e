"""Every functional test is a test of permissions: what a function asks of AWS is held against its role.

rights.py     what a role of the template allows, as IAM judges it
requests.py   what a call needs: actions on resources, with condition keys
recorder.py   a pytest plugin: takes each call of a functional test, and fails the test for one that is denied
recording.py  what the functions asked in the last full run, for tests that need no run
"""
