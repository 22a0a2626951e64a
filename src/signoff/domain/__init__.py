"""The words of the product as frozen records. Pure; imports nothing of ours; everybody imports it."""
