/// What an app gives to each message of a delivery, as it was when the delivery was submitted. Never changed:
/// a change of the app makes another one, and what is under way keeps its own.
///
/// This is the one place that divides an app's settings.
/// - *What is sent* is bound at submission and stands here: topic, the look of `_mId`, variables and their
///   defaults. It was checked with the document, and whoever submits counts on it.
/// - *How it is sent* is the app's and holds for what is under way at once: the connector, the credential and
///   its kind, because a key that was revoked or has expired must be replaceable while messages wait for it;
///   the gateway's address, which is the configuration's; and the environment, which belongs to the tokens:
///   they are read at each attempt, and it can be changed only while there are none.
/// - Title, body, category, sound, priority and validity are the delivery's own. The platform never changes.
///   Name, service, integration key and the labels of sounds reach no device.
///
/// A change of the connector makes another revision with the same contents: what a delivery may contain depends
/// on the connector, so a submission that was checked against the old one is checked again.
package struct AppRevision: Equatable, Sendable {
    /// The topic of APNs; empty if the app had none, as with the stub connector. Then the app's present one
    /// applies.
    package var bundleID: String
    package var messageIDFormat: MessageIDFormat
    package var variables: [AppVariable]

    package init(bundleID: String, messageIDFormat: MessageIDFormat, variables: [AppVariable]) {
        self.bundleID = bundleID
        self.messageIDFormat = messageIDFormat
        self.variables = variables
    }

    /// What these settings are to a delivery that is submitted now.
    package init(_ settings: AppSettings) {
        self.init(
            bundleID: settings.bundleID, messageIDFormat: settings.messageIDFormat,
            variables: settings.variables)
    }
}
