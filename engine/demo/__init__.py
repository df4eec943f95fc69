"""Bundled models on small local tasks: real scores of real prompts, with no model hub and no network."""

from engine.demo.fill import SOURCE_NAME, DemoReport, demo_folder, plan_demo, run_demo

__all__ = ["SOURCE_NAME", "DemoReport", "demo_folder", "plan_demo", "run_demo"]
