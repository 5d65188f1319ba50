/// A scripted behaviour: rules by token prefix. The first match decides.
///
/// The language is described in ``RuleBook/language``, which is also the text of `--help`.
package struct RuleBook: GatewayBehaviour {
    private var rules: [Rule] = []

    /// Reads the text of a rule file. `file` is the file's name in errors.
    package init(text: String, file: String, for dialect: RuleDialect = .apns) throws(SinkError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.prefix { $0 != "#" }
            var words = RuleTokens(content.split(whereSeparator: \.isWhitespace).map(String.init), dialect)
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
        One rule per line. The first rule that matches a request decides. A request without a matching rule is
        accepted. Rules apply only to valid requests. An invalid request gets the error for its fault. '#'
        begins a comment.

          TOKENPREFIX|*  ACTION [QUALIFIER…]

        Actions (at most one; without one, the request is accepted):
          accept                             accept the notification
          status CODE REASON [timestamp MS]  answer with this status and reason, e.g. status 410 Unregistered;
                                             timestamp: for a 410, milliseconds since 1970, now if omitted;
                                             \\x1b in a reason stands for that byte (goaway: raw, not JSON)
          silent                             never answer
          refuse                             RST_STREAM with REFUSED_STREAM
          goaway [graceful] [REASON]         GOAWAY with {"reason":…}: the last processed stream is in the
                                             middle of the waiting ones; graceful: announce it with 2^31-1
                                             first
          half-open [MS]                     the connection continues to read but no longer answers, not even
                                             PINGs; closed after MS, never if omitted
          close                              end the connection in an orderly way, without GOAWAY
          reset                              TCP reset
          interim | crumbs | empty-data | header-bomb | ping-flood | settings-flood
                                             never answer, but send without end: interim responses, DATA
                                             frames of one byte or of none, header blocks that decode to a
                                             thousand times their size, PING, SETTINGS; the connection does
                                             nothing else from then on. Over HTTP/1.1, the first four send
                                             interim responses, chunks of one byte, chunk extensions and
                                             header lines; the others are silent
        Qualifiers:
          delay MS         wait before the action
          max-streams N [for M]
                           advertise N concurrent streams from then on; for M: until M more requests have
                           arrived on the connection, then the former number
          drip N           send the next N bytes of the connection one by one, at intervals of a millisecond
          retry-after SECONDS|date SECONDS
                           with an error: when to repeat the request; date: as an HTTP date
          times N          the rule applies only to its first N requests, for all tokens together
          each N           the rule applies only to the first N requests of each token
          every N          the rule applies only to every Nth request that matches its prefix
          share N of M     the rule applies to N of each M requests that match its prefix, evenly distributed
          after N          the rule skips the first N requests that match its prefix
          connection-after N
                           the rule skips the first N requests of each connection that match its prefix

        Example:
          dead*      status 410 Unregistered
          bead       status 429 TooManyRequests each 1
          *          goaway graceful Shutdown every 50000 times 2
          *          delay 20
        """

    /// The additions to the language for FCM and its OAuth endpoint.
    static let googleLanguage = """
        FCM (--fcm-rules): prefixes match literally and are case-sensitive. Further actions:
          fcm CODE [HTTP] [FIELD]            v1: an error with an FcmError, e.g. fcm UNREGISTERED, or with the
                                             violation of a field, e.g. fcm INVALID_ARGUMENT message.token; a
                                             CODE that FCM does not have requires its HTTP status
          rpc HTTP STATUS                    v1: an error without an FcmError, e.g. rpc 401 UNAUTHENTICATED
          legacy ERROR                       legacy: the result for this token, e.g. legacy NotRegistered
          html CODE                          the page of a front end, with a status from 200 to 599
        and qualifiers:
          canonical TOKEN                    legacy: the result names this token as the one to store
          short                              legacy: one result fewer than there are tokens
          truncated                          half of the body, in an answer that is complete according to HTTP
          broken-off                         half of the body, then a reset stream or a closed connection
        OAuth (--oauth-rules): prefixes match the account's e-mail address; fcm, rpc, legacy, canonical and
        short are not available. A further action:
          oauth ERROR [HTTP]                 e.g. oauth invalid_grant, oauth unauthorized_client 403

        Example:
          gone*      fcm UNREGISTERED
          slow*      fcm UNAVAILABLE retry-after 2 each 1
          moved*     canonical fresh-token
          *          html 502 every 1000
        """

    /// The additions to the language for a receiver of connector `custom`.
    static let customLanguage = """
        Custom receiver (--custom-rules): prefixes match literally. A further action:
          verdict WORD [SECONDS]             the verdict on this message: verdict tokenDead, verdict later 5
        and the qualifiers truncated and broken-off as for FCM. Any other action applies to the whole batch.
        """

    /// The language of rules for the old binary gateway.
    static let binaryLanguage = """
        Binary gateway (--binary-rules): prefixes of the token's digits. Each action except accept ends the
        connection. Bytes after the notification are neither read nor counted. Actions:
          accept                  accept the notification, without an answer
          status CODE             error packet with this code (0 to 255, not 10), e.g. status 1; not accepted
          invalid-token           status 8
          shutdown                the notification is accepted, the packet has code 10 and names it
          close                   not accepted; the end, without a packet
          reset                   not accepted; TCP reset
          half-open [MS], silent [MS]
                                  neither this notification nor a later one is accepted, and nothing is sent;
                                  closed after MS, never if omitted. A client cannot distinguish this from
                                  success: choose MS less than the client's wait.
          garbage                 not accepted; bytes that are not a packet, then the end
          half-packet             not accepted; three bytes of a packet, then the end
          stranger                not accepted; a packet with code 8 and an identifier that was never sent,
                                  then the end
        Qualifiers: delay MS (delays the packet or the end, which determines how much is in flight after the
        rejected notification), times N, each N, every N, share N of M, after N as above. 'each 1' does not
        affect a token that is sent again.

        Example:
          bad0*      invalid-token delay 5
          50*        shutdown each 1
          *          close every 20000 times 3

        Feedback (--feedback FILE), returned once for each change of the file:
          SECONDS TOKEN           a tuple: seconds since 1970, digits
          cut N                   the next tuple and the connection end after N bytes
          length N                the next tuple states a token length of N bytes
        """
}

/// One line of a rule book.
struct Rule {
    /// The beginning of the token; empty for any token. It is in lower case if `ignoresCase` is set.
    var prefix: [UInt8]
    var answer: SinkAnswer
    /// The maximum number of requests that the rule applies to in total.
    var times: Int?
    /// The maximum number of requests for each token that the rule applies to.
    var each: Int?
    /// If this is set, the rule applies only to every n-th request that matches the prefix.
    var every: Int?
    /// If this is set, the rule applies only to `taken` of every `of` requests that match the prefix.
    var share: (taken: Int, of: Int)?
    /// The number of requests matching the prefix that the rule skips before it applies to any.
    var after = 0
    /// The number of requests matching the prefix that the rule skips on each connection before it applies to
    /// any.
    var connectionAfter = 0
    /// Whether case is ignored. Tokens of hexadecimal digits may be sent in either case; other tokens must
    /// match exactly.
    var ignoresCase = true
    /// The only API for which the answer has a meaning; `nil` for any API.
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
            // The rule applies to n·N/M of the first n requests, rounded down.
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
