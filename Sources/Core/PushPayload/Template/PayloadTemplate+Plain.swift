package import PushModel

/// The payload for devices that no vendor's gateway serves: the texts, and the ids, variables and custom
/// members under `data`.
///
///     {"title":"…","body":"…","data":{"_mId":"…","_dId":"7","city":"Rome"}}
extension PayloadTemplate {
    /// The limit of APNs and FCM, so that a content fits wherever it is sent.
    package static let plainLimitBytes = 4096

    /// Returns the template of one content for one app of ``PushModel/Platform/other``.
    ///
    /// - Parameters:
    ///   - declared: The app's variables. If there are any, only these are sent, and the delivery must set
    ///     those without a default. Otherwise, the delivery may set any variables.
    ///   - tracking: Whether `_mId` and `_dId` are sent.
    /// - Throws: ``PayloadError/lacking(_:)`` if there is neither text nor data.
    package static func plain(
        content: Content, variables declared: [AppVariable], delivery: DeliveryID, tracking: Bool,
        idFormat: MessageIDFormat, limitBytes: Int = plainLimitBytes
    ) throws(PayloadError) -> PayloadTemplate {
        try byLanguage(content) { content, isShortened throws(PayloadError) in
            let variables = try PayloadVariables.resolve(
                declared: declared, given: content.variables, platform: .other)
            let custom = try PayloadVariables.custom(of: content, alongside: variables, platform: .other)
            try checkPlaces(of: content, variables: variables)
            let texts = [("title", content.title), ("body", content.body)].filter { $0.1?.isEmpty == false }
            guard !texts.isEmpty || !variables.isEmpty || !custom.isEmpty else {
                throw .lacking("the content is empty; add a title, a body, variables or custom members")
            }

            var builder = PayloadTemplateBuilder()
            builder.object { root in
                for (key, text) in texts {
                    let edges = key == "title" ? TextEdge.title : TextEdge.body
                    root.string(key, text, content.shortens ? edges : nil)
                }
                root.object("data") {
                    $0.data(of: delivery, id: idFormat.slot(tracking: tracking), variables, custom)
                }
            }
            return try builder.template(limitBytes: limitBytes, isShortened: isShortened)
        }
    }
}
