"""What a million requests of each kind cost on AWS, from counted calls."""
