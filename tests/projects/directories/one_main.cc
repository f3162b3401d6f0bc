int one();

int main() { return one() - 1; }
