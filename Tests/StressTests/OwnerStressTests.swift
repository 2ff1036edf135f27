import Testing

extension AllStressTests {
  /// Subscriptions that end with something else: a lifetime, an object, a bag.
  @Suite(.serialized) struct OwnerStressTests {
    @Test func owners() async {
      await stressRounds("owner") { name, random, log in
        if random.oneIn(4) { return LifetimeRound(name, &random, log) }
        return OwnerRound(name, &random, log)
      }
    }

    @Test func bags() async {
      await stressRounds("bag") { BagRound($0, &$1, $2) }
    }
  }
}
