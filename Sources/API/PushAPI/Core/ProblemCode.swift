/// The reason why a request was not carried out, as a code by which programs decide what to do next. It is
/// the `code` of an API problem. A code keeps its meaning in all versions of `/api/v1`. Docs/Send/API.md
/// lists the codes, and a test compares the two lists.
package enum ProblemCode: String, CaseIterable, Sendable {
    case malformed, badRequest, unauthorized, forbidden, absent, noMatch, notFound, methodNotAllowed,
        conflict,
        preconditionFailed, contentTooLarge, unsupportedMediaType, refused, tooManyRequests, failed,
        cancelled,
        unavailable, busy

    package var status: Int {
        switch self {
        case .malformed, .badRequest: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .absent, .noMatch, .notFound: 404
        case .methodNotAllowed: 405
        case .conflict: 409
        case .preconditionFailed: 412
        case .contentTooLarge: 413
        case .unsupportedMediaType: 415
        case .refused: 422
        case .tooManyRequests: 429
        case .failed, .cancelled: 500
        case .unavailable, .busy: 503
        }
    }

    package var meaning: String {
        switch self {
        case .malformed: "the body is not valid JSON in UTF-8"
        case .badRequest:
            "the address, the query or a header is invalid, or a part of the request has no effect"
        case .unauthorized: "the token is missing, unknown or revoked"
        case .forbidden:
            "the token does not have the scope of the operation, or it is bound to services and the "
                + "operation concerns the whole instance"
        case .absent: "an object that the request names does not exist; nothing was changed"
        case .noMatch: "no device, message or storm matches the request"
        case .notFound: "the path does not exist"
        case .methodNotAllowed: "the path does not support this method; `Allow` lists the supported methods"
        case .conflict:
            "an existing object or an earlier request conflicts with the request, or the request's "
                + "idempotency key was used for another request; nothing was changed"
        case .preconditionFailed:
            "(only on the Unix socket) the service and the client have different versions, stores or "
                + "configurations"
        case .contentTooLarge: "the body is too large"
        case .unsupportedMediaType: "the `Content-Type` of the body is not JSON"
        case .refused: "the body, or an object that it names, is invalid; nothing was changed"
        case .tooManyRequests:
            "the client sends too many requests; repeat the request after `Retry-After` seconds"
        case .failed:
            "the request failed for a reason other than its content; it is unknown whether a message or a "
                + "delivery was accepted: repeat the request with the same idempotency key"
        case .cancelled: "the operation was cancelled before it was complete"
        case .unavailable:
            """
            the service or its store is temporarily unable to carry out the request; nothing was changed: \
            repeat the request later
            """
        case .busy:
            "too many requests of this kind are in progress; nothing was done: repeat the request after "
                + "`Retry-After` seconds"
        }
    }
}
