"""What every other package stands on: errors, money, ids, time, settings, DynamoDB and outbound HTTP."""
