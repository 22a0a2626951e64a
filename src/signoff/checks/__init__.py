"""Adapters that run checks on materialised trees and write receipts."""
