/// A device as described by an import file or a later registration.
package struct SubscriberRecord: Equatable, Sendable {
    /// The token as the gateway expects it: lower-case hex for APNs.
    package var token: String
    /// The app's own name for its user. It may be empty.
    package var userKey: String
    /// Further columns as a JSON object of strings; `nil` if there are none.
    package var parametersJSON: String?
    /// The language of the device; empty if the record does not state it, so that the known one stays.
    package var language: String
    package init(token: String, userKey: String, parametersJSON: String?, language: String = "") {
        self.token = token
        self.userKey = userKey
        self.parametersJSON = parametersJSON
        self.language = language
    }
}
