//! A headless Chromium, led by its DevTools protocol over two pipes.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The browser is given so long for any one answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Programs that are a Chromium.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: File,
    from: Receiver<Value>,
    session: Option<String>,
    last_id: u64,
    events: Vec<Value>,
    _folder: TempDir,
}

impl Browser {
    /// Starts the browser; `None`, and a word on standard error, where none is installed.
    pub(crate) fn start() -> Option<Self> {
        let is_there = |name: &&&str| {
            Command::new(**name).arg("--version").output().is_ok_and(|output| output.status.success())
        };
        let Some(name) = NAMES.iter().find(is_there) else {
            eprintln!("SKIPPED: the report in a browser, for no Chromium is installed");
            return None;
        };
        let folder = TempDir::new().expect("a temporary folder");
        let pipe = |name: &str| {
            let path = folder.path().join(name);
            assert!(Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success()));
            // Open for both: so that opening waits for nobody.
            (OpenOptions::new().read(true).write(true).open(&path).expect("the pipe opens"), path)
        };
        let ((to, to_path), (from, from_path)) = (pipe("to"), pipe("from"));
        let line = "exec \"$0\" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
            --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars \
            --user-data-dir=\"$3\" --remote-debugging-pipe about:blank 3<\"$1\" 4>\"$2\"";
        let child = Command::new("sh")
            .args(["-c", line, name])
            .args([&to_path, &from_path, &folder.path().join("profile")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell starts");
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(from).split(0).map_while(Result::ok) {
                if serde_json::from_slice(&message).is_ok_and(|value: Value| sender.send(value).is_err()) {
                    break;
                }
            }
        });
        let mut browser = Self {
            child,
            to,
            from: receiver,
            session: None,
            last_id: 0,
            events: Vec::new(),
            _folder: folder,
        };
        let page = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached =
            browser.call("Target.attachToTarget", json!({"targetId": page["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "DOM", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol and waits for its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.from.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] == self.last_id {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Opens a file and waits until it is loaded; returns how long that took by the page's own clock, in milliseconds.
    pub(crate) fn open(&mut self, file: &Path, fragment: &str) -> f64 {
        self.events.clear();
        let url = format!("file://{}{fragment}", file.display());
        // Only another address is loaded anew.
        self.call("Page.navigate", json!({"url": "about:blank"}));
        self.call("Page.navigate", json!({"url": url}));
        let deadline = Instant::now() + PATIENCE;
        loop {
            let state = self
                .evaluate("document.readyState + performance.getEntriesByType('navigation')[0].loadEventEnd");
            let loaded = state.as_str().and_then(|state| state.strip_prefix("complete")?.parse::<f64>().ok());
            match loaded {
                Some(ms) if ms > 0.0 => return ms,
                _ => assert!(Instant::now() < deadline, "the page does not load"),
            }
        }
    }

    /// The value of an expression in the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Presses a key as a person would.
    pub(crate) fn press(&mut self, key: &str) {
        let code = match key {
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Home" => 36,
            "End" => 35,
            "Tab" => 9,
            " " => 32,
            _ => u32::from(key.bytes().next().unwrap_or_default().to_ascii_uppercase()),
        };
        for kind in ["rawKeyDown", "keyUp"] {
            let parameters = json!({"type": kind, "key": key, "windowsVirtualKeyCode": code});
            self.call("Input.dispatchKeyEvent", parameters);
        }
    }

    /// Clicks into the middle of the first element that the selector finds, or at a share of its width and height.
    pub(crate) fn click(&mut self, selector: &str, across: f64, down: f64) {
        let place = self.evaluate(&format!(
            "(() => {{ const node = document.querySelector({selector:?}); node.scrollIntoView({{block: 'center'}}); \
             const box = node.getBoundingClientRect(); \
             return [box.left + box.width * {across}, box.top + box.height * {down}]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let parameters =
                json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", parameters);
        }
    }

    /// A window of this size, with light or dark colours.
    pub(crate) fn look(&mut self, width: u32, height: u32, scheme: &str) {
        let is_phone = width < 600;
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", scheme);
    }

    /// Keeps a picture of the page as `name.png` in the folder that `PLYSCOPE_SCREENSHOTS` names, if it names one.
    pub(crate) fn keep_picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("PLYSCOPE_SCREENSHOTS") else { return };
        use base64::Engine as _;
        let shot = self.call("Page.captureScreenshot", json!({"captureBeyondViewport": false}));
        let bytes =
            base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().unwrap_or_default());
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), bytes.expect("a picture"))
            .expect("the folder takes a picture");
    }

    /// What the browser complained of since the page was opened: console errors and warnings, exceptions, violations of the
    /// policy, dialogs.
    pub(crate) fn complaints(&mut self) -> Vec<Value> {
        // An answer comes after all events before it.
        self.evaluate("0");
        let is_complaint = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Page.javascriptDialogOpening") => true,
            Some("Runtime.consoleAPICalled") => true,
            Some("Log.entryAdded") => event["params"]["entry"]["level"] != "verbose",
            _ => false,
        };
        self.events.iter().filter(is_complaint).cloned().collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let deadline = Instant::now() + Duration::from_secs(5);
        while Instant::now() < deadline && self.child.try_wait().is_ok_and(|status| status.is_none()) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
