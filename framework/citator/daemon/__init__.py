"""The warm process of a user: it holds models and stores, answers clients, and keeps the store up to date with the sources."""
