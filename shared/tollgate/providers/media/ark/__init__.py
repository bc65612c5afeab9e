"""ModelArk of BytePlus and Volcengine: Seedance videos and Seedream images (providers.md §6)."""
