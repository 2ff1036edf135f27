import Testing

extension AllStressTests {
  @Suite(.serialized) struct CompositionStressTests {
    @Test func composing() async {
      await stressRounds("compose") { CompositionRound($0, &$1, $2) }
    }
  }
}
