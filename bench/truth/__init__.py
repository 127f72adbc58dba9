"""What is true now: stories of facts that change, told to the engine in time order and asked about."""
