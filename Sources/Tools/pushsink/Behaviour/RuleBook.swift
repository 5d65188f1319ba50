/// A scripted behaviour: rules by token prefix. The first match decides.
///
/// The language is described in ``RuleBook/language``, which is also the text of `--help`.
package struct RuleBook: GatewayBehaviour {
    private var rules: [Rule] = []

    /// Reads the text of a rule file. `file` is its name in errors.
    package init(text: String, file: String, for dialect: RuleDialect = .apns) throws(SinkError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.prefix { $0 != "#" }
            var words = RuleWords(content.split(whereSeparator: \.isWhitespace).map(String.init), dialect)
            guard words.left else { continue }
            do throws(SinkError) {
                rules.append(try words.rule())
            } catch {
                throw SinkError.line(index, of: file, error.description)
            }
        }
    }

    package mutating func answer(_ request: SinkRequest, at now: Instant) -> SinkAnswer? {
        for index in rules.indices where rules[index].takes(request) { return rules[index].answer }
        return nil
    }

    /// The language of rule files.
    static let language = """
        One rule a line, the first that matches a request decides; what no rule takes is accepted. Rules see only
        requests that are valid; invalid ones get their error whatever the rules say. '#' begins a comment.

          TOKENPREFIX|*  ACTION [QUALIFIER…]

        Actions (at most one; without one the request is accepted):
          accept                             take the notification
          status CODE REASON [timestamp MS]  answer with this status and reason, e.g. status 410 Unregistered;
                                             timestamp: of a 410, milliseconds since 1970, now if omitted;
                                             \\x1b in a reason stands for that byte (goaway: raw, not as JSON)
          silent                             never answer
          refuse                             RST_STREAM with REFUSED_STREAM
          goaway [graceful] [REASON]         GOAWAY with {"reason":…}: a stream in the middle of those that wait is
                                             the last one processed; graceful: announce it with 2^31-1 first
          half-open [MS]                     the connection reads on and answers nothing more, PINGs neither; closed
                                             after MS, never if omitted
          close                              end the connection in order, without GOAWAY
          reset                              TCP reset
          interim | crumbs | empty-data | header-bomb | ping-flood | settings-flood
                                             no answer, and without end: interim responses, DATA frames of one byte or
                                             of none, header blocks that unfold a thousandfold, PING, SETTINGS; nothing
                                             else happens on the connection any more. HTTP/1.1 has interim responses,
                                             chunks of one byte, chunk extensions and header lines for the first four
                                             and is silent for the others
        Qualifiers:
          delay MS         wait before acting
          max-streams N [for M]
                           advertise N concurrent streams from then on; for M: until M more requests have come on the
                           connection, then as many as before
          drip N           the next N bytes of the connection go out one by one, a millisecond apart
          retry-after SECONDS|date SECONDS
                           with an error: when to come back; date: as an HTTP date
          times N          the rule takes only its first N requests, all tokens together
          each N           the rule takes only the first N requests of each token
          every N          the rule takes only every Nth request that its prefix fits
          share N of M     the rule takes N of each M requests that its prefix fits, evenly spread
          after N          the rule takes none of the first N requests that its prefix fits
          connection-after N
                           the rule takes none of the first N requests of each connection that its prefix fits

        Example:
          dead*      status 410 Unregistered
          bead       status 429 TooManyRequests each 1
          *          goaway graceful Shutdown every 50000 times 2
          *          delay 20
        """

    /// The additions to the language for FCM and its OAuth endpoint.
    static let googleLanguage = """
        FCM (--fcm-rules): prefixes mean what they say, capitals and small letters differ. Further actions:
          fcm CODE [HTTP] [FIELD]            v1: an error with an FcmError, e.g. fcm UNREGISTERED, or with the violation
                                             of a field, e.g. fcm INVALID_ARGUMENT message.token; a CODE that FCM does
                                             not have needs its HTTP status
          rpc HTTP STATUS                    v1: an error without an FcmError, e.g. rpc 401 UNAUTHENTICATED
          legacy ERROR                       legacy: the result of this token, e.g. legacy NotRegistered
          html CODE                          a front end's page, 200 to 599
        and qualifiers:
          canonical TOKEN                    legacy: the result names this token as the one to store
          short                              legacy: one result less than there are tokens
          truncated                          the half of the body, in an answer that is whole for HTTP
          broken-off                         the half of the body, then a reset stream or a closed connection
        OAuth (--oauth-rules): the prefix is one of the account's e-mail address; fcm, rpc, legacy, canonical and
        short do not exist, and:
          oauth ERROR [HTTP]                 e.g. oauth invalid_grant, oauth unauthorized_client 403

        Example:
          gone*      fcm UNREGISTERED
          slow*      fcm UNAVAILABLE retry-after 2 each 1
          moved*     canonical fresh-token
          *          html 502 every 1000
        """

    /// The additions to the language for a receiver of connector `custom`.
    static let customLanguage = """
        Custom receiver (--custom-rules): prefixes mean what they say. A further action:
          verdict WORD [SECONDS]             the verdict on this message, e.g. verdict tokenDead, verdict later 5
        and the qualifiers truncated and broken-off as for FCM. Any other action is about the whole batch.
        """

    /// The language of rules for the old binary gateway.
    static let binaryLanguage = """

        Binary gateway (--binary-rules): prefixes of the token's digits. Each action but accept ends the connection, and
        what came behind the notification is neither read nor counted. Actions:
          accept                  take the notification, in silence
          status CODE             error packet with this code (0 to 255, not 10), e.g. status 1; not taken
          invalid-token           status 8
          shutdown                the notification is taken, the packet has code 10 and names it
          close                   not taken; the end, without a packet
          reset                   not taken; TCP reset
          half-open [MS], silent [MS]
                                  neither this nor a later one is taken, and nothing is said; closed after MS, never if
                                  omitted. A client cannot tell that from success: let MS be less than what it waits.
          garbage                 not taken; bytes that are no packet, then the end
          half-packet             not taken; three bytes of a packet, then the end
          stranger                not taken; a packet with code 8 and an identifier never sent, then the end
        Qualifiers: delay MS (the packet or the end come so much later, which is how much is in flight behind the bad
        notification), times N, each N, every N, share N of M, after N as above. 'each 1' spares a token that is
        sent again.

        Example:
          bad0*      invalid-token delay 5
          50*        shutdown each 1
          *          close every 20000 times 3

        Feedback (--feedback FILE), told once for each change of the file:
          SECONDS TOKEN           a tuple: seconds since 1970, digits
          cut N                   the next tuple ends after N bytes, and so does the connection
          length N                the next tuple claims a token of N bytes
        """
}

/// One line of a rule book.
struct Rule {
    /// The beginning of the token; empty for any token. In lower case if `ignoresCase` is set.
    var prefix: [UInt8]
    var answer: SinkAnswer
    /// The maximum number of requests in total.
    var times: Int?
    /// The maximum number of requests for each token.
    var each: Int?
    /// If it is set, the rule takes only every n-th request that matches the prefix.
    var every: Int?
    /// If it is set, the rule takes only `taken` of every `of` requests that match the prefix.
    var share: (taken: Int, of: Int)?
    /// The number of requests at the start that match the prefix and are not taken.
    var after = 0
    /// The number of requests at the start of each connection that match the prefix and are not taken.
    var connectionAfter = 0
    /// Whether case is ignored. Tokens of hexadecimal digits may be sent in either case; others must match
    /// exactly.
    var ignoresCase = true
    /// The only API for which the answer has a meaning; `nil` for any.
    var api: SinkRequest.API?

    private var seen = 0
    private var taken = 0
    private var takenByToken: [UInt64: Int] = [:]
    private var seenByConnection: [Int: Int] = [:]

    init(prefix: [UInt8], answer: SinkAnswer) {
        self.prefix = prefix
        self.answer = answer
    }

    /// Reports whether the rule applies to a request, and counts the request.
    mutating func takes(_ request: SinkRequest) -> Bool {
        let device = request.device
        guard api == nil || api == request.api, fits(device) else { return false }
        seen += 1
        guard seen > after else { return false }
        if connectionAfter > 0 {
            seenByConnection[request.connection, default: 0] += 1
            guard seenByConnection[request.connection, default: 0] > connectionAfter else { return false }
        }
        if let times, taken >= times { return false }
        if let every, (seen - after) % every != 0 { return false }
        if let share {
            // Of the first n requests, n·N/M are taken, rounded down.
            let place = (seen - after - 1) % share.of
            guard (place + 1) * share.taken / share.of > place * share.taken / share.of else { return false }
        }
        if let each {
            let earlier = takenByToken[device.hash64, default: 0]
            if earlier >= each { return false }
            takenByToken[device.hash64] = earlier + 1
        }
        taken += 1
        return true
    }

    private func fits(_ device: Bytes) -> Bool {
        guard device.count >= prefix.count else { return false }
        let mask: UInt8 = ignoresCase ? 0x20 : 0
        for index in prefix.indices where device[index] | mask != prefix[index] { return false }
        return true
    }
}
