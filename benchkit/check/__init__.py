"""What is wrong with a suite, found before anything runs: `names`, whatever its data; then `data`, in workers."""
