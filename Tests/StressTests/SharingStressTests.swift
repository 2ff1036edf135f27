import Testing

extension AllStressTests {
  /// Subscribers that come and go while a signal sends to many.
  @Suite(.serialized) struct SharingStressTests {
    @Test func members() async {
      await stressRounds("members") { SharingRound($0, &$1, $2) }
    }

    @Test func currentValues() async {
      await stressRounds("current") { CurrentRound($0, &$1, $2) }
    }
  }
}
