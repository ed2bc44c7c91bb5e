"""Commands on published results: publish, recheck, check-submission, site."""
