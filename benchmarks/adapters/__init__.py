"""One file for each library whose optimizers are compared."""
