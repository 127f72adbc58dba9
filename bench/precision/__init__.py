"""How right a short list is: precision, recall and silence on sets of exact gold lists."""
