/// What wrk asks for: scripts in its own language. The tool shares the cores with what it measures, so requests are
/// written beforehand as far as they can be.
struct WebScripts {
    let testbed: Testbed

    /// - Parameter ids: `<message>,<delivery>` of messages that were sent.
    init(_ ids: [String], in testbed: Testbed) throws(LoadError) {
        self.testbed = testbed
        try testbed.folder.write(ids.joined(separator: "\n") + "\n", to: "ids.txt")
    }

    /// Writes the script.
    func file(_ kind: WebRatesScenario.Kind) throws(LoadError) -> String {
        let text =
            switch kind {
            case .hits: hits
            case .registrations: registrations
            case .messages: messages
            }
        try testbed.folder.write(text, to: "\(kind).lua")
        return testbed.folder.file("\(kind).lua")
    }

    /// Each message is received, then clicked, then again.
    private var hits: String {
        """
        local requests = {}
        init = function(args)
          for kind = 1, 2 do
            for id in io.lines("\(testbed.folder.file("ids.txt"))") do
              requests[#requests + 1] = wrk.format("GET", "/r/?id=h" .. id .. "," .. kind)
            end
          end
        end
        local n = 0
        request = function()
          n = n % #requests + 1
          return requests[n]
        end
        """
    }

    /// Each device is a new one, with what an SDK tells of it.
    private var registrations: String {
        var form = DeviceForm(isAndroid: false, token: "TOKEN", integrationKey: Testbed.app)
        (form.userKey, form.name, form.model) = ("USER", "Ada's phone", "iPhone 16")
        (form.brand, form.manufacturer) = ("Apple", "Apple")
        (form.osName, form.osVersion, form.language) = ("iOS", "18.1", "en")
        form.parameters = [("firstName", "Ada"), ("city", "London")]
        let parts = form.body.split(separator: "TOKEN", maxSplits: 1)
        let rest = (parts.last ?? "").split(separator: "USER", maxSplits: 1)
        return """
            math.randomseed(os.time())
            local run = string.format("%08x", math.random(0, 2147483647))
            local token, user, number = string.rep("T", 64), string.rep("U", 17), "%08x"
            local n, head, middle, tail = 0
            init = function(args)
              local form = wrk.format("POST", "\(form.path)",
                {["Content-Type"] = "application/x-www-form-urlencoded;charset=UTF-8"},
                "\(parts.first ?? "")" .. token .. "\(rest.first ?? "")" .. user .. "\(rest.last ?? "")")
              local t, u = form:find(token, 1, true), form:find(user, 1, true)
              head = form:sub(1, t - 1) .. run .. string.rep("0", 48)
              middle = form:sub(t + #token, u - 1) .. "u" .. run
              tail = form:sub(u + #user)
            end
            request = function()
              n = n + 1
              local each = number:format(n)
              return head .. each .. middle .. each .. tail
            end
            """
    }

    private var messages: String {
        let device = SyntheticSubscribers(1).token(0)
        return """
            wrk.method = "POST"
            wrk.path = "/api/v1/messages"
            wrk.headers["Authorization"] = "Bearer \(testbed.apiToken)"
            wrk.headers["Content-Type"] = "application/json"
            wrk.body = [[{"app": "\(Testbed.app)", "token": "\(device)", \
            "content": {"title": "Your code", "body": "Number 4711"}}]]
            local message
            init = function(args)
              message = wrk.format()
            end
            request = function() return message end
            """
    }
}
