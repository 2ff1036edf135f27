/// First guesses about clients and calls that work: one test for each.
struct FirstGuessTests {}
