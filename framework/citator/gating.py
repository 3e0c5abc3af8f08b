"""Scores -> how much to hand over; pure."""
