"""What declares repositories, what satisfies them, and the rules that fill them."""
