"""The task: its life cycle (pure), its rows, the step that moves it, and what customers ask of it."""
