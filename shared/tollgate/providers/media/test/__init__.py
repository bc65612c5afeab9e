"""A provider inside this service, for customers' own tests: it calls nobody and costs nothing.

It needs no credentials, so its models are always there, on AWS and on one machine.
"""

NAME = "test"
