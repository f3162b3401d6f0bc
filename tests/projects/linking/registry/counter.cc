int count = 0;
