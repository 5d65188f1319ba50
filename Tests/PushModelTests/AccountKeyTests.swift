import PushModel
import Testing

@Suite struct AccountKeyTests {
    @Test(arguments: [
        ("team:ABC", "iosHTTP2 production team:ABC", "iosHTTP2 production team:ABC #1f"),
        // Stores contain the key with two spaces.
        ("", "iosHTTP2 production", "iosHTTP2 production  #1f"),
    ])
    func `an account's name has no space at its end, and its key has the form that stores contain`(
        identity: String, name: String, key: String
    ) {
        let account = AccountKey(.iosHTTP2, .production, identity: identity, credentialMark: "1f")
        #expect(account.rawValue == key)
        #expect(AccountKey.accountName(.iosHTTP2, .production, identity: identity) == name)
        #expect(account.accountName == name)
        #expect(account.part(of: AppID(rawValue: 7), topic: "com.example").accountName == name)
    }
}
