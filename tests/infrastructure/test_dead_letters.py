"""Whatever was given up on can be sent again: no dead-letter queue is forgotten."""

from local.template import Template, named
from tollgate.command.target import DEAD_LETTER_QUEUES
from tollgate.operator.dead_letters import Work

QUEUE = "AWS::SQS::Queue"
MAPPING = "AWS::Lambda::EventSourceMapping"


def given_up(template: Template) -> set[str]:
    """Return every queue that SQS or Lambda moves to what was given up on."""
    redriven = [queue["RedrivePolicy"]["deadLetterTargetArn"] for queue in template.of_type(QUEUE).values()
                if "RedrivePolicy" in queue]  # fmt: skip
    failed = [source["DestinationConfig"]["OnFailure"]["Destination"]
              for source in template.of_type(MAPPING).values() if "DestinationConfig" in source]  # fmt: skip
    return {named(target) for target in (*redriven, *failed)}


class TestDeadLetters:
    def test_the_console_and_the_command_know_every_queue(self, template: Template) -> None:
        assert given_up(template) == set(DEAD_LETTER_QUEUES.values())
        assert len(DEAD_LETTER_QUEUES) == len(Work)

    def test_the_console_is_told_where_each_is_and_may_empty_it(self, template: Template) -> None:
        variables = template.variables("AdminFunction")
        # Its variables have no room for the queue of batches, which the command knows.
        known = {name: queue for name, queue in DEAD_LETTER_QUEUES.items() if name != "BATCH_DLQ_URL"}
        assert {name: named(variables[name]) for name in known} == known
        for queue in known.values():
            for action in ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"):
                assert (action, queue) in template.permissions("AdminFunction")

    def test_every_source_of_work_has_somewhere_to_give_up_to(self, template: Template) -> None:
        queues = template.of_type(QUEUE)
        for name, source in template.of_type(MAPPING).items():
            of = named(source["EventSourceArn"])
            assert "DestinationConfig" in source or "RedrivePolicy" in queues[of], name
