// Uses the page of the course as a learner would, over a made-up server (serve_test.cpp), and writes what it found into the page.
(async () => {
  const found = window.found;
  const wrong = text => found.problems.push(text);
  const pause = ms => new Promise(done => setTimeout(done, ms));
  const until = async (what, test) => {
    for (let i = 0; i < 200; ++i) { if (test()) return true; await pause(20); }
    wrong("never: " + what);
    return false;
  };
  const $ = id => document.getElementById(id);
  const equal = (what, is, wanted) => { if (is !== wanted) wrong(`${what}: '${is}' instead of '${wanted}'`); };
  const asked = path => window.calls.filter(c => c.path.startsWith(path));

  await until("the course is shown", () => document.body.dataset.ready === "yes");
  equal("exercises", $("list").children.length, 2);
  equal("a title with markup is text", $("list").children[1].firstChild.textContent, "<img src=x onerror=alert(1)>");
  equal("every call has the token", window.calls.every(c => c.token === "Bearer secret"), true);
  equal("the token is not in the address", location.hash.includes("secret"), false);

  const editor = document.querySelector(".CodeMirror").CodeMirror;
  equal("the start is shown", editor.getValue(), "line one\nline two\nline three\n");
  editor.setValue("line one\nwrong\nline three\n");
  await until("typing is judged", () => asked("/api/judge").length === 1 && document.querySelector(".verdict.not"));
  equal("the text that is judged", asked("/api/judge")[0].body.text, "line one\nwrong\nline three\n");
  equal("what is said", document.querySelector(".said").textContent, "Line 2 is wrong.");
  await until("the counts stand beside the line", () => document.querySelectorAll(".count").length === 2);
  equal("a count", document.querySelectorAll(".count")[0].textContent, "8 s/ld");
  if (!document.querySelector(".culprit")) wrong("the line is not marked");
  if ($("next")) wrong("the next exercise is offered before this one is done");
  if ($("answer").classList.contains("stale")) wrong("the answer is marked as old");

  editor.setValue("line one\nright\nline three\n");
  $("judge").click();
  if (!$("answer").classList.contains("stale")) wrong("the old answer is not marked");
  await until("a click judges", () => document.querySelector(".verdict.done"));
  if (!$("next")) wrong("the next exercise is not offered");
  await until("older figures stand beside", () => document.querySelector("td.better"));
  if (!$("list").children[0].classList.contains("done")) wrong("the exercise is not marked as done");
  const before = asked("/api/judge").length;
  editor.getInputField().dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", code: "Enter", keyCode: 13, ctrlKey: true, bubbles: true }));
  await until("Ctrl+Enter judges", () => asked("/api/judge").length > before);

  $("hint").click();
  await until("a hint opens", () => document.querySelectorAll("#task ol li").length === 1);
  $("hint").click();
  await until("the second one opens, and no more", () => document.querySelectorAll("#task ol li").length === 2 && $("hint").disabled);

  $("link").click();
  await until("the state is in the address", () => new URLSearchParams(location.hash.slice(1)).has("t"));
  const dark = document.documentElement.dataset.theme;
  $("theme").click();
  if (document.documentElement.dataset.theme === dark) wrong("the theme does not change");
  $("language").value = "fi";
  $("language").dispatchEvent(new Event("change"));
  await until("the language changes", () => $("judge").textContent === "fi judge");
  equal("the text stays", editor.getValue(), "line one\nright\nline three\n");

  if (getComputedStyle($("menu")).display !== "none") {
    equal("the list is hidden", getComputedStyle($("list")).display, "none");
    $("menu").click();
    equal("the button shows the list", getComputedStyle($("list")).display, "block");
  }
  $("list").children[1].click();
  await until("another exercise opens", () => $("list").children[1].getAttribute("aria-current") === "page");
  if (document.documentElement.scrollWidth > innerWidth + 1) wrong(`the page is ${document.documentElement.scrollWidth} wide in ${innerWidth}`);
  window.refuse = 429;
  $("judge").click();
  await until("a refusal is told", () => $("status").textContent === "too many");

  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
  if (parent !== window) parent.postMessage(JSON.stringify(found), "*");
})();
