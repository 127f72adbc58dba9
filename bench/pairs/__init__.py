"""Write-side quality: is a similar statement a duplicate, an update, a contradiction, or another one?"""
