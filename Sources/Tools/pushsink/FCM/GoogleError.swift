/// Errors in the form of Google's APIs: `google.rpc.Status` as JSON, with FCM's own detail if FCM rejects the
/// request.
///
/// An error is counted under the FcmError's code (with the field, if one is named), or under the status with
/// `:no-FcmError`.
package enum GoogleError {
    /// Codes of `google.firebase.fcm.v1.FcmError`. Source: FCM REST reference, ErrorCode.
    private static let codes: [(code: String, http: Int, status: String, message: String)] = [
        ("UNREGISTERED", 404, "NOT_FOUND", "Requested entity was not found."),
        ("INVALID_ARGUMENT", 400, "INVALID_ARGUMENT", "Request contains an invalid argument."),
        ("SENDER_ID_MISMATCH", 403, "PERMISSION_DENIED", "SenderId mismatch"),
        ("QUOTA_EXCEEDED", 429, "RESOURCE_EXHAUSTED", "Quota exceeded."),
        ("UNAVAILABLE", 503, "UNAVAILABLE", "The service is currently unavailable."),
        ("INTERNAL", 500, "INTERNAL", "Internal error encountered."),
        ("THIRD_PARTY_AUTH_ERROR", 401, "UNAUTHENTICATED", "Auth error from APNS or Web Push Service"),
        ("UNSPECIFIED_ERROR", 500, "UNKNOWN", "Unknown error."),
    ]

    /// Reports whether the code has its own status.
    package static func isKnown(_ code: String) -> Bool { codes.contains { $0.code == code } }

    /// Returns a rejection by FCM. `http` replaces the code's usual status. `field` is the invalid field of
    /// the request.
    package static func fcm(
        _ code: String, http: Int? = nil, field: String? = nil, because: String? = nil
    ) -> Rejection {
        let known = codes.first { $0.code == code }
        let status = http ?? known?.http ?? 500
        let detail =
            #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
        let message = because ?? known?.message ?? code
        // The order follows observed answers: the violation of a field precedes the code, and the violation
        // of a quota follows it.
        var details = [detail]
        if let field { details.insert(badRequest(field, message), at: 0) }
        if code == "QUOTA_EXCEEDED" { details.append(quotaFailure) }
        return Rejection(
            status: status, reason: field.map { "\(code):\($0)" } ?? code,
            words: words(status, known?.status ?? name(of: status), message, details))
    }

    /// Returns an error without FCM's detail: it concerns the caller's token, the project or the path, or a
    /// fault of a front end.
    package static func rpc(_ http: Int, _ status: String, _ message: String? = nil) -> Rejection {
        Rejection(
            status: http, reason: "\(status):no-FcmError", words: words(http, status, message ?? status, []))
    }

    /// Returns the JSON text of an error.
    package static func words(_ http: Int, _ status: String, _ message: String, _ details: [String])
        -> Rejection.ErrorBody
    {
        let list = details.isEmpty ? "" : #","details":["# + details.joined(separator: ",") + "]"
        let quoted = JSONText.quoted(message)
        return Rejection.ErrorBody(
            content: .json,
            text: #"{"error":{"code":\#(http),"message":\#(quoted),"status":"\#(status)"\#(list)}}"#)
    }

    private static func badRequest(_ field: String, _ description: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"#
            + JSONText.quoted(field) + #","description":"# + JSONText.quoted(description) + "}]}"
    }

    private static let quotaFailure =
        #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"project","#
        + #""description":"Sending quota of the project"}]}"#

    private static func name(of http: Int) -> String {
        if let known = codes.first(where: { $0.http == http }) { return known.status }
        return switch http {
        case 409: "ABORTED"
        case 504: "DEADLINE_EXCEEDED"
        default: http < 500 ? "FAILED_PRECONDITION" : "INTERNAL"
        }
    }

    /// Returns the page that a front end shows if no API answers.
    package static func html(_ status: Int) -> Rejection {
        Rejection(
            status: status, reason: "HTML",
            words: Rejection.ErrorBody(
                content: .html,
                text: "<!DOCTYPE html><html lang=en><title>Error \(status)</title><p><b>\(status).</b> "
                    + "<ins>That’s an error.</ins><p>Please try again in 30 seconds.</html>\n"))
    }
}
