"""What one run is driven with: its log, mailbox, receipts and kit."""
