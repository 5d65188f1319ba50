/// The part of an app that each message of a delivery uses, as it was when the delivery was submitted. A
/// revision never changes: a change to the app creates a new revision, and deliveries that are under way keep
/// theirs.
///
/// Only this type determines how an app's settings are divided:
/// - *What is sent* is bound at submission and is part of the revision: the topic, the form of `_mId`, and
///   the variables with their defaults. It was checked together with the document, and the submitter relies
///   on it.
/// - *How it is sent* belongs to the app and applies immediately to deliveries under way. This includes the
///   connector, and the credential and its kind, because it must be possible to replace a revoked or expired
///   key while messages wait. It also includes the gateway's address, which belongs to the configuration, and
///   the environment, which belongs to the tokens. All of these are read at each attempt, and the environment
///   can be changed only while there are no tokens.
/// - Title, body, category, sound, priority and validity belong to the delivery. The platform never changes.
///   The name, the service, the integration key and the labels of sounds and categories reach no device.
///
/// A change to the connector creates a new revision with the same contents. The allowed contents of a
/// delivery depend on the connector, so a submission that was checked against the old connector is checked
/// again.
package struct AppRevision: Equatable, Sendable {
    /// The APNs topic. It is empty if the app had none, as with the stub connector. In that case, the app's
    /// current topic applies.
    package var bundleID: String
    package var messageIDFormat: MessageIDFormat
    package var variables: [AppVariable]

    package init(bundleID: String, messageIDFormat: MessageIDFormat, variables: [AppVariable]) {
        self.bundleID = bundleID
        self.messageIDFormat = messageIDFormat
        self.variables = variables
    }

    /// Creates the revision for a delivery that is submitted now with these settings.
    package init(_ settings: AppSettings) {
        self.init(
            bundleID: settings.bundleID, messageIDFormat: settings.messageIDFormat,
            variables: settings.variables)
    }
}
