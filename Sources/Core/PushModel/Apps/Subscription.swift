/// A device as an import file, and later a registration, describes it.
package struct SubscriberRecord: Equatable, Sendable {
    /// As the gateway wants it: lower-case hex for APNs.
    package var token: String
    /// The app's own name for its user; may be empty.
    package var userKey: String
    /// Further columns as a JSON object of strings, or nil where there are none.
    package var parametersJSON: String?
    package init(token: String, userKey: String, parametersJSON: String?) {
        self.token = token
        self.userKey = userKey
        self.parametersJSON = parametersJSON
    }
}
