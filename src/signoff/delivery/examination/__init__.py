"""Run checks on trees and judge evaluators' findings."""
