"""What decides a trial: its question and the code that answers it, from which ids, designs and cache keys are made."""
