"""DashScope (Alibaba Model Studio): Wan videos and images, Qwen images (providers.md §12)."""
