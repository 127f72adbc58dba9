"""The guard measured: own texts, attack categories kept aside, ordinary text; and the training of its weights."""
