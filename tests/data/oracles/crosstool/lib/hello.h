int hello();
