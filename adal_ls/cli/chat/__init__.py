"""`adal-ls chat`: a conversation with the agent at the terminal, on the same runtime as everything else."""
